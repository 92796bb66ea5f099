// swift-iap2 · Apache-2.0

// Files of apps import CarPlay alone and use names of these modules: `corpus.md`, section 4.
@_exported public import Foundation
@_exported public import MapKit
@_exported public import UIKit
