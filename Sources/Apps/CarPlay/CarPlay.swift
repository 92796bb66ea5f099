// swift-iap2 · Apache-2.0

// Files of apps import CarPlay alone and use names of these modules (CarPlay/Apps.md).
@_exported public import Foundation
@_exported public import MapKit
// Apps that play audio import MediaPlayer themselves. The import makes it a part of the product CarPlay.
import MediaPlayer
@_exported public import UIKit
