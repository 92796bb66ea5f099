// swift-iap2 · Apache-2.0

/// The function that a bar button calls.
public typealias CPBarButtonHandler = (CPBarButton) -> Void
/// The function that an action of an alert or a sheet calls.
public typealias CPAlertActionHandler = (CPAlertAction) -> Void
