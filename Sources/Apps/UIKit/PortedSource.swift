// swift-iap2 · Apache-2.0

// The names that `iap2 port` writes into the source of apps, so that one import is enough: `Selector`, the run-time
// form of `#available`, and the registry of scene delegates.
@_exported public import PortingSupport
