// swift-iap2 · Apache-2.0

// A program that runs a role names the role's profile and gives it a transport: one import brings all three.
@_exported public import IAP2Roles
@_exported public import IAP2Transport
