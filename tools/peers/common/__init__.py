# SPDX-License-Identifier: Apache-2.0
"""What both Python peers share: places in the repository, and the form of their command lines."""
