import Model
import NotifierCore
import Parsing
import Runtime

/// `jaga-report`: prints reports as PDF for the notifier, which starts and ends it.
///
/// It reads a ``PrintedReport`` as JSON and answers with the document, or with nothing if it cannot
/// be printed. It opens no socket and no file but fonts.
@main
struct Main {
    /// Fonts of wide coverage are mapped into memory.
    static let memoryBytes = 1 << 30

    static func main() {
        PrivateProcess.begin()
        WorkerProcess.serve(memoryBytes: memoryBytes) { message in
            guard let json = try? JSON.parse(message),
                let report = try? json.decode(PrintedReport.self)
            else { return [] }
            return PDFDocument.bytes(of: report) ?? []
        }
    }
}
