# SPDX-License-Identifier: Apache-2.0
"""The sessions of captures/explained, by what fails.

The names of later sets begin with the set. Those of `later` and `last` were made after the explanations met the
expectations for the sessions before them; `blind`, `second`, `third` and `fourth` were made from the protocol documents
alone, without a look at the explanations. Each of these has one capture for a class of failure, the others have two.
"""
