# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX, all correct."""
import jax
import jax.numpy as jnp
x = jnp.arange(100.0)
print(float(jax.jit(lambda v: (v * v).sum())(x)))
