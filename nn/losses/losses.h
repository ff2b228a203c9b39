#pragma once

// All losses.

#include "wick/nn/losses/classification.h"
#include "wick/nn/losses/ctc.h"
#include "wick/nn/losses/margin.h"
#include "wick/nn/losses/reduction.h"
#include "wick/nn/losses/regression.h"
