// swift-iap2 · Apache-2.0

// The names that `iap2 port` writes into the source of apps, so that one import is enough.
@_exported public import PortingSupport
