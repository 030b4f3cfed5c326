//! Inputs that people or damage could bring, each with what has to come of it. They were thought out without a look at
//! the readers. None may panic, hang, read as another game, or lose a part without a word.

use hippolyta_game::notation::Transcript;
use hippolyta_game::{Position, Side};

/// What has to come of an input.
enum Expected {
    /// One game: its moves, and who won.
    Game(&'static str, Option<Side>),
    /// So many games.
    Games(usize),
    /// An error with this part.
    Error(&'static str),
}
use Expected::{Error, Game, Games};

const WHITE: Option<Side> = Some(Side::White);

/// `b1-b4/d4` opens a game on 6x6; `bfbcdc` is its form in SGF.
const INPUTS: [(&str, Expected); 66] = [
    // The grammar of SGF.
    ("(;FF[4]GM[18]SZ[6];B[bfbcdc]", Error("the game has no end")),
    ("(;FF[4]GM[18]SZ[6];B[bfbcdc])", Game("b1-b4/d4", None)),
    ("( ; GM [18] SZ [6]\n;\tB [bfbcdc] )", Game("b1-b4/d4", None)),
    ("(;FileFormat[4]GaMe[18]SiZe[6];Black[bfbcdc])", Game("b1-b4/d4", None)),
    ("(;GaM[18]SiZ[6];Black[bfbcdc])", Game("b1-b4/d4", None)),
    ("(;gm[18]sz[6];b[bfbcdc])", Error("has no property")),
    ("(;GM[18]SZ[6]();B[bfbcdc]())", Game("b1-b4/d4", None)),
    ("(;GM[18]SZ[6]((((;B[bfbcdc]))))))", Error("')' stands behind a game")),
    ("(;GM[18]SZ[6](((;B[bfbcdc]))))", Game("b1-b4/d4", None)),
    ("(;GM[18]SZ[6]C[a \\] (; ) b];B[bfbcdc])", Game("b1-b4/d4", None)),
    ("(;GM[18]SZ[6]C[a \0 b];B[bfbcdc])", Game("b1-b4/d4", None)),
    ("(;GM[18]SZ[6]C[a \\", Error("no end of the value")),
    ("(;GM[18]SZ[6];B[bfbcdc])(;GM[18]SZ[6];B[bfbcdc])", Games(2)),
    ("(;GM[18]SZ[6];B[bfbcdc])\n\n(;GM[1]SZ[19];B[aa])", Error("game 2: SGF: GM[1] is another game")),
    ("(;GM[18]SZ[6];B[bfbcdc])\n\nb1-b4/d4", Games(2)),
    ("(;GM[18]SZ[6];B[bfbcdc]);", Error("stands behind a game")),
    ("(;)", Game("", None)),
    // Moves in SGF.
    ("(;GM[18]SZ[6];B[BFBCDC])", Game("b1-b4/d4", None)),
    ("(;GM[18]SZ[6];B[ bfbcdc ])", Game("b1-b4/d4", None)),
    ("(;GM[18]SZ[6];B[bf bc dc])", Error("'bf bc dc' is no move")),
    ("(;GM[18]SZ[6];B[bfbc\ndc])", Error("is no move")),
    ("(;GM[18]SZ[6];B[b1-b4/d4])", Game("b1-b4/d4", None)),
    ("(;GM[18]SZ[6];B[bfbcd\u{f6}])", Error("is no move")),
    ("(;GM[18]SZ[6];B[tt])", Error("'tt' is no move")),
    ("(;GM[18]SZ[6];B[];W[fdfccc])", Error("'' is no move")),
    ("(;GM[18]SZ[6];B[bfbcdc];W[])", Error("'' is no move")),
    ("(;GM[18]SZ[6];B[bfbcdc][bfbddc])", Error("a second move")),
    ("(;GM[18]SZ[10];B[bfbcdc])", Error("ply 1: b5-b8/d8 is not legal")),
    // Boards and setups in SGF.
    ("(;GM[18]SZ[0])", Error("no board of size '0'")),
    ("(;GM[18]SZ[-6])", Error("no board of size '-6'")),
    ("(;GM[18]SZ[6.0])", Error("no board of size '6.0'")),
    ("(;GM[18]SZ[99999999999999999999])", Error("no board of size")),
    ("(;GM[18]SZ[8:6])", Error("8x6 board has no start")),
    ("(;GM[18]SZ[6:6];B[bfbcdc])", Game("b1-b4/d4", None)),
    ("(;GM[18]SZ[6]AB[bf]AB[ae]AW[be];B[bfdddb])", Game("b1-d3/d5", None)),
    ("(;GM[18]SZ[6]AB[bf]AW[bf])", Error("b1 holds two pieces")),
    ("(;GM[18]SZ[6]AB[bf]AW[be]AA[aa:])", Error("'aa:' in AA")),
    ("(;GM[18]SZ[6]AB[bf]AW[be]AA[aa:bb:cc])", Error("in AA")),
    ("(;GM[18]SZ[6]AB[bf];B[bfbcdc])", Error("black has no amazon")),
    // Results.
    ("(;GM[18]SZ[6]RE[B+T];B[bfbcdc])", Game("b1-b4/d4", WHITE)),
    ("(;GM[18]SZ[6]RE[Void];B[bfbcdc])", Game("b1-b4/d4", None)),
    ("(;GM[18]SZ[6]RE[];B[bfbcdc])", Game("b1-b4/d4", None)),
    ("b1-b4/d4 1-0 0-1", Error("two results that contradict each other")),
    ("b1-b4/d4 Black resigns 1-0 {well played}", Game("b1-b4/d4", WHITE)),
    ("1-0", Error("there is no game")),
    ("winner white winner\nb1-b4/d4", Error("is no winner")),
    ("b1-b4/d4 white", Error("'white' is no move")),
    // Plain text.
    ("b1-b4/d4,f2-f3/e4", Error("is no move")),
    ("7. b1-b4/d4", Game("b1-b4/d4", None)),
    ("B1-B4/D4", Game("b1-b4/d4", None)),
    ("1) b1-b4/d4", Error("')' closes no variation")),
    ("b1-b4/d4 {", Error("no end of the comment")),
    ("b1-b4/d4 }", Error("'}' is no move")),
    ("[Event \"x\"]\n\nb1-b4/d4", Error("is no move")),
    ("white a\nwhite b\nb1-b4/d4", Error("the header 'white' is given twice")),
    ("start\nb1-b4/d4", Error("text")),
    ("start 1q2q1/q4q/6/6/Q4Q/1Q2Q1 w\nstart 1q2q1/q4q/6/6/Q4Q/1Q2Q1 w\n", Games(2)),
    ("b\u{661}-b\u{664}/d\u{664}", Error("is no move")),
    (" \n\u{feff}\0\u{1a}\t", Error("there is no game")),
    // Botzone, SAU, contest.
    (
        "{\"requests\":[{\"x0\":-1,\"y0\":-1,\"x1\":-1,\"y1\":-1,\"x2\":-1,\"y2\":-1}],\"responses\":[]}",
        Game("", None),
    ),
    (
        "{\"requests\":[{\"x0\":1e0,\"y0\":0,\"x1\":1,\"y1\":3,\"x2\":3,\"y2\":3}],\"responses\":[]}",
        Error("has no number x0"),
    ),
    (
        "{\"requests\":[{\"x0\":1,\"y0\":0,\"x1\":1,\"y1\":3,\"x2\":3,\"y2\":10}],\"responses\":[]}",
        Error("is not six numbers from 0 to 9"),
    ),
    ("{\"requests\":[],\"responses\":[],", Error("no end of the object")),
    ("new black\nmove djddgd\n", Game("d1-d7/g7", None)),
    ("new black\nmove DJDDGD X\n", Error("is not six letters")),
    ("#[AM][a][b\n1 b1b4(d4)", Game("b1-b4/d4", None)),
];

/// What is wrong with what came of an input.
fn fault(text: &str, expected: &Expected) -> Option<String> {
    let found = Transcript::read_all(text);
    let is_right = match (expected, &found) {
        (Game(moves, winner), Ok(games)) => {
            let played: Vec<String> = games[0].moves().map(|m| m.to_string()).collect();
            games.len() == 1 && played.join(" ") == *moves && games[0].winner == *winner
        }
        (Games(count), Ok(games)) => games.len() == *count,
        (Error(part), Err(error)) => error.to_string().contains(part),
        (Game(..) | Games(_), Err(_)) | (Error(_), Ok(_)) => false,
    };
    (!is_right).then(|| match found {
        Ok(games) => format!("{text:?}: {games:?}"),
        Err(error) => format!("{text:?}: {error}"),
    })
}

#[test]
fn each_input_gives_what_it_should() {
    let faults: Vec<String> = INPUTS.iter().filter_map(|(text, expected)| fault(text, expected)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Ten megabytes where a word should be: an error that a terminal has room for.
#[test]
fn errors_quote_little() {
    let long = "x".repeat(10_000_000);
    for form in [
        "@",
        "d1-d7/@",
        "(;GM[18];B[@])",
        "(;GM[18]SZ[@])",
        "(;GM[@])",
        "(;GM[18]PL[@])",
        "(;GM[18]AA[@])",
        "(;GM[18]RE[W+@];W[resign])",
        "(;GM[18];B[djddgd])[@",
        "(;GM[18];B[@",
        "{@",
        "winner @",
        "start @",
        "move @",
        "1\n@ 2 3 4 5 6",
        "{\"requests\":[{\"@\":1}],\"responses\":[]}",
        "#[AM][a][b]; d1d7(@",
    ] {
        let Err(error) = Transcript::read_all(&form.replace('@', &long)) else { panic!("{form}") };
        let length = error.to_string().len();
        assert!(length < 500, "{form}: {length} bytes");
    }
    for form in ["@", "3q2q3/@", "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 @"] {
        let Err(error) = form.replace('@', &long).parse::<Position>() else { panic!("{form}") };
        let length = error.to_string().len();
        assert!(length < 500, "{form}: {length} bytes");
    }
}
