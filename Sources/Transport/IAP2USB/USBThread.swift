// swift-iap2 · Apache-2.0

/// The name of every thread that waits for USB. The lab counts threads by this name.
let usbThread = "iap2-usb"
