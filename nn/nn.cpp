#include "wick/nn/nn.h"
