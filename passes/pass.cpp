#include "wick/passes/pass.h"
