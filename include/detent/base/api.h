#pragma once

/// Exports a declaration from the shared library; every other symbol is hidden.
#define DETENT_API __attribute__((visibility("default")))
