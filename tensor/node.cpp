#include "wick/tensor/node.h"
