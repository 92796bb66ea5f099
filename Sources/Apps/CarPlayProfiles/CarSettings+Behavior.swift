// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import YAMLForms

extension CarSettings {
  /// Changes the behavior of the car, as the key `behavior` of a profile does.
  ///
  /// - Parameters:
  ///   - yaml: A mapping of settings, also as JSON.
  ///   - file: The name of the text, for error messages.
  /// - Throws: The fault with the setting and the allowed values.
  package mutating func changeBehavior(yaml: String, file: String) throws(CarFileProblem) {
    try behavior.read(YAMLValue(yaml, file: file))
  }
}
