#include "wick/autograd/autograd.h"
