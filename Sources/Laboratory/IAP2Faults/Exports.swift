// swift-iap2 · Apache-2.0

// Times, seeded numbers and bytes as text are part of this module's interface.
@_exported public import Basics
