// swift-iap2 · Apache-2.0

// The module Testing declares an overlay for files that import both Testing and a module named UIKit. The compiler then
// imports `_Testing_UIKit`, and fails without a module of this name. On Linux the overlay adds nothing.
