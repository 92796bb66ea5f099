// swift-iap2 · Apache-2.0

// A program that runs a role needs its profile and a transport, so one import brings all three modules.
@_exported public import IAP2Roles
@_exported public import IAP2Transport
