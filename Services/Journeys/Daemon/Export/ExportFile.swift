import Parsing

/// A file of an export, whose content is read in portions.
package struct ExportFile {
    /// Path in the archive.
    let name: String
    /// Whether the content is already compressed, such as a photo.
    var isCompressed = false
    /// Reads the next portion, and whether it was the last one.
    let next: () throws -> (bytes: [UInt8], isLast: Bool)

    package init(_ name: String, _ bytes: [UInt8], isCompressed: Bool = false) {
        self.name = name
        self.isCompressed = isCompressed
        next = { (bytes, true) }
    }

    /// A list of JSON values in portions.
    ///
    /// - Parameters:
    ///   - start: text before the values, such as `[`; `end` likewise
    ///   - page: reads the values after a place, nil = the beginning, and the place of the last one
    ///     if there may be more
    package init<Place>(
        _ name: String, start: String = "[", end: String = "]",
        page: @escaping (Place?) throws -> (values: [JSON], more: Place?)
    ) {
        self.name = name
        var place: Place?
        next = {
            var text = place == nil ? start : ""
            let (values, more) = try page(place)
            for (index, value) in values.enumerated() {
                text += (place != nil || index > 0 ? ",\n" : "\n") + value.text
            }
            place = more
            if more == nil { text += "\n\(end)\n" }
            return (Array(text.utf8), more == nil)
        }
    }

    /// A GeoJSON FeatureCollection in portions.
    package static func features<Place>(
        _ name: String, page: @escaping (Place?) throws -> (values: [JSON], more: Place?)
    ) -> ExportFile {
        ExportFile(
            name, start: #"{"type":"FeatureCollection","features":["#, end: "]}", page: page)
    }
}
