// swift-iap2 · Apache-2.0
public struct WireError: Error, Equatable, Sendable { public var offset: Int }
