#pragma once

// Modules, losses, optimizers and data sets.
