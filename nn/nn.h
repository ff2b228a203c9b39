#pragma once

// Modules, losses, optimizers, data sets and what training loops print: everything of nn/.

#include "wick/nn/activations.h"
#include "wick/nn/batch_norm.h"
#include "wick/nn/conv2d.h"
#include "wick/nn/data/dataset.h"
#include "wick/nn/data/host_array.h"
#include "wick/nn/data/prefetcher.h"
#include "wick/nn/dropout.h"
#include "wick/nn/init.h"
#include "wick/nn/layer_norm.h"
#include "wick/nn/linear.h"
#include "wick/nn/losses/losses.h"
#include "wick/nn/meters.h"
#include "wick/nn/module.h"
#include "wick/nn/optim/adam.h"
#include "wick/nn/optim/optimizer.h"
#include "wick/nn/optim/sgd.h"
#include "wick/nn/parameter.h"
#include "wick/nn/pooling.h"
#include "wick/nn/progress_bar.h"
#include "wick/nn/sequential.h"
