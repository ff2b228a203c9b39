#include "wick/codegen/kernel_ir.h"
