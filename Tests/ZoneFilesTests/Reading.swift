import Model
import ZoneFiles

/// Reads a text as a file.
func read(
    _ text: String, as format: FileFormat = .pad, _ options: ReadingOptions = ReadingOptions()
) throws(FileError) -> ZoneFile {
    try ZoneFile.read(Array(text.utf8), as: format, options)
}

/// The error for a text, or nil if it is accepted.
func rejection(
    of text: String, as format: FileFormat = .pad, _ options: ReadingOptions = ReadingOptions()
) -> FileError? {
    do throws(FileError) {
        _ = try read(text, as: format, options)
        return nil
    } catch {
        return error
    }
}

func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(
        latitudeE7: Int32((latitude * 1e7).rounded()),
        longitudeE7: Int32((longitude * 1e7).rounded()))
}
