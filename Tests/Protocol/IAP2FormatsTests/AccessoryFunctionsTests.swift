// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
import IAP2Roles
import Testing

@Suite struct AccessoryFunctionsTests {
  @Test func aProtocolIsNativeWhenItNamesTheUSBHostComponent() {
    var identification = HeadUnitProfile.standard(protocols: ["a", "b", "c"]).identification
    #expect(identification.nativeProtocols.isEmpty)
    identification.makeNative(["c", "a", "x"])
    #expect(identification.nativeProtocols == ["a", "c"])
    // A protocol that names an unknown component, or one that is not a USB host component, uses the link.
    identification.supportedExternalAccessoryProtocol[0].nativeTransportComponentIdentifier = 9
    #expect(identification.nativeProtocols == ["c"])
    identification.usbHostTransportComponent = []
    #expect(identification.nativeProtocols.isEmpty)
  }

  @Test func theNetworkFollowsTheLinkAndTheNativeProtocols() {
    var profile = HeadUnitProfile.standard(protocols: ["a", "b"])
    profile.identification.makeNative(["a", "b"])
    let functions = AccessoryFunctions(profile.identification)
    #expect(functions.nativeProtocols == ["a", "b"] && functions.carPlayInterface == 3)
    #expect(functions.interfaceCount == 5)
    profile.identification.setCarPlayInterface(3)
    #expect(profile.identification.usbHostTransportComponent[0].usbHostTransportCarPlayInterfaceNumber == 3)
    let plain = AccessoryFunctions(HeadUnitProfile.standard(features: .power).identification)
    #expect(!plain.hasCarPlay && plain.carPlayInterface == nil && plain.interfaceCount == 1)
  }
}
