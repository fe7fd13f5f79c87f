#pragma once

/// Every command as a function that takes options and returns a report. Each throws detent::Error and prints nothing:
/// progress and warnings go to the Reporter. Each command has its header; this one includes them all.

#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "detent/base/version.h"
#include "detent/cache.h"
#include "detent/calibrate.h"
#include "detent/cast.h"
#include "detent/compare.h"
#include "detent/explain.h"
#include "detent/inspect.h"
#include "detent/lint.h"
#include "detent/merge.h"
#include "detent/plan.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/repair.h"
#include "detent/run.h"
#include "detent/sensitivity.h"
#include "detent/verify.h"
