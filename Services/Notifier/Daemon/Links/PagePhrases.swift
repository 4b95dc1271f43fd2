import Model
import NotifierCore

/// Texts of the pages of emergencies in one language.
struct PagePhrases: Sendable {
    let help: String
    let show: String
    let showAdvice: String
    let since: String
    let place: String
    let noPosition: String
    let notShared: String
    let map: String
    let battery: String
    let note: String
    let trail: String
    let recipients: String
    let responders: String
    let nobodyResponds: String
    let you: String
    let operatorName: String
    let call: String
    let underDuress: String
    let respond: String
    let handBack: String
    let end: String
    let endNote: String
    let refresh: String
    let youRespond: String
    let first: @Sendable (_ name: String) -> String
    let handedBack: String
    let ended: String
    let notAllowed: String
    let retry: String
    /// Title of the page of a drill.
    let drill: String
    let drillAdvice: String
    let drillAnswer: String
    let drillThanks: String
}

extension Language {
    var page: PagePhrases {
        switch self {
        case .english: .english
        case .malay: .malay
        case .indonesian: .indonesian
        }
    }
}

extension PagePhrases {
    /// Of a page whose link is not valid, in every language: nothing is known of the reader.
    static let invalidLink = [
        (
            "en", "This link is not valid",
            "The emergency may be over, or somebody else must answer. Look into Jaga."
        ),
        (
            "ms", "Pautan ini tidak sah",
            "Kecemasan mungkin sudah tamat, atau orang lain perlu menjawab. Lihat dalam Jaga."
        ),
        (
            "id", "Tautan ini tidak berlaku",
            "Keadaan darurat mungkin sudah selesai, atau orang lain harus menjawab. Lihat di Jaga."
        ),
    ]

    static let english = PagePhrases(
        help: "Somebody needs your help", show: "Show",
        showAdvice: "Who needs help and where is shown after you press the button.",
        since: "Since", place: "Place", noPosition: "No position known",
        notShared: "Position not shared", map: "Open a map", battery: "Battery", note: "Note",
        trail: "Before", recipients: "Also alerted", responders: "Responding",
        nobodyResponds: "Nobody responds yet", you: "you", operatorName: "the operator",
        call: "Call", underDuress: "Signalled under duress: do not call or text them",
        respond: "I am responding", handBack: "Hand back", end: "It is over",
        endNote: "What happened? (optional)", refresh: "Refresh",
        youRespond: "You are responding. We tell the others.",
        first: { "\($0) was first and is responding." },
        handedBack: "You handed back. We alert the others again.",
        ended: "It is over. Thank you. We tell the others.",
        notAllowed: "You may not do this.", retry: "Please press the button again.",
        drill: "TEST: a drill of your circle",
        drillAdvice: "Nobody is in danger. Press the button as you would in an emergency.",
        drillAnswer: "I would respond", drillThanks: "Thank you. Your answer is recorded.")

    static let malay = PagePhrases(
        help: "Seseorang memerlukan bantuan anda", show: "Tunjukkan",
        showAdvice: "Siapa dan di mana ditunjukkan selepas anda menekan butang.",
        since: "Sejak", place: "Tempat", noPosition: "Kedudukan tidak diketahui",
        notShared: "Kedudukan tidak dikongsi", map: "Buka peta", battery: "Bateri",
        note: "Nota", trail: "Sebelum ini", recipients: "Turut dimaklumkan",
        responders: "Sedang membantu", nobodyResponds: "Belum ada yang membantu", you: "anda",
        operatorName: "pengendali", call: "Panggil",
        underDuress: "Isyarat semasa diancam: jangan telefon atau SMS dia",
        respond: "Saya akan membantu",
        handBack: "Serah balik", end: "Sudah tamat",
        endNote: "Apa yang berlaku? (pilihan)", refresh: "Muat semula",
        youRespond: "Anda sedang membantu. Kami memaklumkan yang lain.",
        first: { "\($0) lebih dahulu dan sedang membantu." },
        handedBack: "Anda telah menyerah balik. Kami memaklumkan yang lain semula.",
        ended: "Sudah tamat. Terima kasih. Kami memaklumkan yang lain.",
        notAllowed: "Anda tidak dibenarkan melakukan ini.", retry: "Sila tekan butang sekali lagi.",
        drill: "TEST: latihan kumpulan anda",
        drillAdvice: "Tiada sesiapa dalam bahaya. Tekan butang seperti dalam kecemasan.",
        drillAnswer: "Saya akan membantu",
        drillThanks: "Terima kasih. Jawapan anda telah direkodkan.")

    static let indonesian = PagePhrases(
        help: "Seseorang membutuhkan bantuan Anda", show: "Tampilkan",
        showAdvice: "Siapa dan di mana ditampilkan setelah Anda menekan tombol.",
        since: "Sejak", place: "Tempat", noPosition: "Posisi tidak diketahui",
        notShared: "Posisi tidak dibagikan", map: "Buka peta", battery: "Baterai",
        note: "Catatan", trail: "Sebelumnya", recipients: "Juga diberi tahu",
        responders: "Sedang membantu", nobodyResponds: "Belum ada yang membantu", you: "Anda",
        operatorName: "operator", call: "Telepon",
        underDuress: "Isyarat dalam ancaman: jangan telepon atau SMS dia",
        respond: "Saya akan membantu",
        handBack: "Lepaskan", end: "Sudah selesai", endNote: "Apa yang terjadi? (opsional)",
        refresh: "Muat ulang", youRespond: "Anda sedang membantu. Kami memberi tahu yang lain.",
        first: { "\($0) lebih dulu dan sedang membantu." },
        handedBack: "Anda melepaskan tanggapan. Kami memberi tahu yang lain lagi.",
        ended: "Sudah selesai. Terima kasih. Kami memberi tahu yang lain.",
        notAllowed: "Anda tidak boleh melakukan ini.", retry: "Silakan tekan tombolnya lagi.",
        drill: "TEST: latihan lingkaran Anda",
        drillAdvice: "Tidak ada yang dalam bahaya. Tekan tombol seperti dalam keadaan darurat.",
        drillAnswer: "Saya akan membantu",
        drillThanks: "Terima kasih. Jawaban Anda sudah dicatat.")
}
