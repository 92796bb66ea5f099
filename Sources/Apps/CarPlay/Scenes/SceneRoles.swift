// swift-iap2 · Apache-2.0

public import UIKit

@available(iOS 13.0, *)
extension UISceneSession.Role {
  /// The role of an app's scene in the car.
  public static let carTemplateApplication = UISceneSession.Role(
    rawValue: "CPTemplateApplicationSceneSessionRoleApplication")
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The role of an app's scene on the car's dashboard.
@available(iOS 13.4, *)
public let CPTemplateApplicationDashboardSceneSessionRoleApplication = UISceneSession.Role(
  rawValue: "CPTemplateApplicationDashboardSceneSessionRoleApplication")

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The role of an app's scene in the car's instrument cluster.
@available(iOS 15.4, *)
public let CPTemplateApplicationInstrumentClusterSceneSessionRoleApplication = UISceneSession.Role(
  rawValue: "CPTemplateApplicationInstrumentClusterSceneSessionRoleApplication")
