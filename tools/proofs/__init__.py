# SPDX-License-Identifier: Apache-2.0
"""The long proofs of `tools/proof`."""
