/* kernel_private.h - stands for kernel_row.h until the rows name that. */
#ifndef MESHCAST_PRIMITIVES_KERNEL_PRIVATE_H
#define MESHCAST_PRIMITIVES_KERNEL_PRIVATE_H

#include "primitives/kernel_row.h"

#endif
