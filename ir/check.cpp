#include "wick/ir/check.h"
