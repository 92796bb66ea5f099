// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of errors of template operations.
public let CarPlayErrorDomain: String = TemplateError.domain

extension TemplateError {
  /// The error as completions of template operations receive it.
  package var nsError: NSError {
    NSError(domain: CarPlayErrorDomain, code: Self.code, userInfo: [NSLocalizedDescriptionKey: text])
  }
}
