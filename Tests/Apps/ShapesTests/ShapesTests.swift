// swift-iap2 · Apache-2.0
