// swift-iap2 · Apache-2.0

// The compiler needs this module in files that import both Testing and UIKit. The import makes it a part of every build
// of UIKit.
import _Testing_UIKit
