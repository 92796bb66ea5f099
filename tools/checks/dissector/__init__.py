# SPDX-License-Identifier: Apache-2.0
"""The comparison of the dissector with the decoder, for the check `wireshark`."""
