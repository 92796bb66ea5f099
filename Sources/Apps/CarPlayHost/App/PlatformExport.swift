// swift-iap2 · Apache-2.0

// A program that describes its app needs the names of categories, settings and reports, and the car profiles.
@_exported public import CarPlayPlatform
@_exported public import CarPlayProfiles
