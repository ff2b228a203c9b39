#pragma once

// Everything a program written against Wick needs.

#include "wick/autograd/autograd.h"
#include "wick/autograd/functional.h"
#include "wick/autograd/hooks.h"
#include "wick/nn/nn.h"
#include "wick/passes/options.h"
#include "wick/runtime/profiler.h"
#include "wick/tensor/custom_op.h"
#include "wick/tensor/dlpack.h"
#include "wick/tensor/indexing.h"
#include "wick/tensor/linalg.h"
#include "wick/tensor/npy.h"
#include "wick/tensor/npz.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/ops_linalg.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/print.h"
#include "wick/tensor/random_sampling.h"
#include "wick/tensor/safetensors.h"
#include "wick/tensor/tensor.h"
