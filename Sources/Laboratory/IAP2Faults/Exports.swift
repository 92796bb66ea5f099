// swift-iap2 · Apache-2.0

// Times, seeded numbers, bytes as text and plans of faults are part of this module's interface.
@_exported public import Basics
@_exported public import FaultModel
