// swift-iap2 · Apache-2.0

import ArgumentParser

@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "iap2", abstract: "Both sides of the iAP2 accessory protocol.", version: Version.text)
}
