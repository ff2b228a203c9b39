#include "wick/runtime/buffer.h"
