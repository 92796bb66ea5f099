# SPDX-License-Identifier: Apache-2.0
"""Tests of the page of `iap2 lab` in a browser."""
