import Model
import NotifierCore

/// Texts of the pages of questions in one language.
struct QuestionPhrases: Sendable {
    let title: String
    let areYouOK: String
    let watchEnds: @Sendable (_ at: String) -> String
    let checkInDue: @Sendable (_ at: String) -> String
    let alarmAt: @Sendable (_ at: String) -> String
    let extend: @Sendable (_ minutes: Int64) -> String
    let pin: String
    /// Ends a watch.
    let end: String
    /// Answers a check-in.
    let safe: String
    let endInApp: String
    let extended: String
    let noted: String
    let pinNeeded: String
    let wrongPIN: String
    let answered: String
    let expired: String
}

extension Language {
    var question: QuestionPhrases {
        switch self {
        case .english: .english
        case .malay: .malay
        case .indonesian: .indonesian
        }
    }
}

extension QuestionPhrases {
    static let english = QuestionPhrases(
        title: "A question from Jaga", areYouOK: "Are you OK?",
        watchEnds: { "Your watch ends at \($0)." }, checkInDue: { "Your check-in: \($0)." },
        alarmAt: { "Without an answer we alert your circle at \($0)." },
        extend: { "\($0) minutes more" }, pin: "Your PIN", end: "I am safe: end the watch",
        safe: "I am OK", endInApp: "To end the watch, open Jaga.",
        extended: "We extend your watch.", noted: "Noted: you are safe.",
        pinNeeded: "Your PIN is needed.", wrongPIN: "The PIN is wrong.",
        answered: "This was answered.", expired: "No answer came in time. We alerted your circle.")

    static let malay = QuestionPhrases(
        title: "Soalan daripada Jaga", areYouOK: "Anda selamat?",
        watchEnds: { "Pemantauan anda tamat pada \($0)." },
        checkInDue: { "Pengesahan anda: \($0)." },
        alarmAt: { "Tanpa jawapan kami maklumkan kumpulan anda pada \($0)." },
        extend: { "Tambah \($0) minit" }, pin: "PIN anda",
        end: "Saya selamat: tamatkan pemantauan", safe: "Saya selamat",
        endInApp: "Untuk menamatkan pemantauan, buka Jaga.",
        extended: "Kami melanjutkan pemantauan anda.", noted: "Dicatat: anda selamat.",
        pinNeeded: "PIN anda diperlukan.", wrongPIN: "PIN salah.", answered: "Ini sudah dijawab.",
        expired: "Tiada jawapan dalam masa. Kami telah memaklumkan kumpulan anda.")

    static let indonesian = QuestionPhrases(
        title: "Pertanyaan dari Jaga", areYouOK: "Anda baik-baik saja?",
        watchEnds: { "Pemantauan Anda berakhir pukul \($0)." },
        checkInDue: { "Konfirmasi Anda: \($0)." },
        alarmAt: { "Tanpa jawaban kami memberi tahu grup Anda pukul \($0)." },
        extend: { "Tambah \($0) menit" }, pin: "PIN Anda",
        end: "Saya aman: akhiri pemantauan", safe: "Saya aman",
        endInApp: "Untuk mengakhiri pemantauan, buka Jaga.",
        extended: "Kami memperpanjang pemantauan Anda.", noted: "Dicatat: Anda aman.",
        pinNeeded: "PIN Anda diperlukan.", wrongPIN: "PIN salah.", answered: "Ini sudah dijawab.",
        expired: "Tidak ada jawaban tepat waktu. Kami sudah memberi tahu grup Anda.")
}
