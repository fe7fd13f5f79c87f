#pragma once

/// What the shared library shows of itself: the declarations in these headers, and nothing of the code behind them.
#define DETENT_API __attribute__((visibility("default")))
