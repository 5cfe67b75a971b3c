//! The entry: a question and a database's knowledge in, ranked readings out.

use jiff::civil::Date;

use super::account::{Account, Doubt};
use super::compose::{Draft, Meaning, compose_with};
use super::knowledge::{ColumnId, Knowledge, TableId};
use super::link::{Chunk, Linked, TOLD, Target, ValueLink, link_with};
use super::rank::{Aspects, Features, Rated, TRIED, Weights, certainty_features, circumstances, features};
use super::values::MatchKind;
use crate::plan::{Confidence, Expr, Projection, QueryPlan, Select};
use crate::reasoner::Trial;
use crate::schema::Value;

/// What bears on a question besides its words.
#[derive(Debug, Clone)]
pub struct Options {
    /// The day that *today* and *last month* are counted from.
    pub today: Date,
    /// Tables that every reading must use, by name: the answer to an ambiguity.
    pub mandatory_tables: Vec<String>,
    /// Tables that no reading may use, by name.
    pub forbidden_tables: Vec<String>,
    /// Pairs of columns, each `(table, column)`, that every reading which joins their tables must join on.
    pub fixed_joins: Vec<FixedJoin>,
    /// Words that somebody said mean a table, a column or a value, as lessons tell.
    pub hints: Vec<Hint>,
    /// How many readings are kept.
    pub readings: usize,
}

/// A join that was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedJoin {
    /// Table and column of one side.
    pub left: (String, String),
    /// Table and column of the other side.
    pub right: (String, String),
}

/// Words with what they mean in this database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The words, as people say them.
    pub words: String,
    /// The table they speak of.
    pub table: String,
    /// The column they speak of; none for the table as a whole.
    pub column: Option<String>,
    /// The value in that column that they mean; none for the column itself.
    pub value: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            today: jiff::Zoned::now().date(),
            mandatory_tables: Vec::new(),
            forbidden_tables: Vec::new(),
            fixed_joins: Vec::new(),
            hints: Vec::new(),
            readings: 8,
        }
    }
}

/// What the reasoner made of a question.
#[derive(Debug, Clone, Default)]
pub struct Understanding {
    /// The readings, best first; none where nothing could be made of the question.
    pub candidates: Vec<Candidate>,
    /// The words that the best reading does not account for, or all that name nothing where there is no reading.
    pub unexplained: Vec<String>,
    /// The words that name something, with what they may name: for saying what was recognised.
    pub recognised: Vec<Recognised>,
    /// The least probability at which an answer is given.
    pub threshold: f32,
    /// What the probability of the best reading rests on.
    grounds: Grounds,
}

/// What the probability of the best reading rests on.
#[derive(Debug, Clone, Default)]
struct Grounds {
    features: Features,
    circumstances: Features,
    rated: Vec<Rated>,
    /// Where the best reading is the grammar's: how likely it is right.
    preferred: Option<f32>,
}

impl Grounds {
    fn judge(&self, weights: &Weights) -> (f32, Confidence) {
        let certainty = weights.certainty(&self.rated);
        let features = certainty_features(&self.features, &self.circumstances, &self.rated);
        let probability = self.preferred.unwrap_or_else(|| certainty.probability(&features));
        (probability, certainty.confidence(probability))
    }
}

/// One reading of a question.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The plan.
    pub plan: QueryPlan,
    /// How it compares with the other readings.
    pub score: f32,
    /// How likely it is right, by what was measured on other databases.
    pub probability: f32,
    /// The same in three steps; low where the plan leaves out some of what was asked.
    pub confidence: Confidence,
    /// What the plan leaves out of the question.
    pub account: Account,
    /// Why this reading.
    pub evidence: Evidence,
    /// Where the grammar made it: how far it is below the grammar's best.
    pub grammar: Option<f32>,
}

/// Why a reading was made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Which words meant what.
    pub meanings: Vec<WordMeaning>,
    /// The words that were ignored.
    pub ignored: Vec<String>,
    /// The joins, with the reason for each.
    pub joins: Vec<JoinReason>,
    /// Readings taken that were not the usual ones.
    pub unusual: Vec<String>,
}

/// Words with what they were taken for.
#[derive(Debug, Clone, PartialEq)]
pub struct WordMeaning {
    /// The words as asked.
    pub words: String,
    /// What they were taken for.
    pub meaning: Meaning,
}

/// A join with the reason for it.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinReason {
    /// `(table, column)` of the referring side.
    pub from: (String, String),
    /// `(table, column)` referred to.
    pub to: (String, String),
    /// True for a declared key, false for one inferred from names.
    pub declared: bool,
}

/// Words that name something.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    /// The words as asked.
    pub words: String,
    /// What they may name, best first, as `table` or `table.column`.
    pub names: Vec<String>,
}

impl Understanding {
    /// The reading to answer with; none where none is likely enough.
    pub fn answer(&self) -> Option<&Candidate> {
        self.candidates.first().filter(|candidate| candidate.probability >= self.threshold)
    }

    /// The readings whose rows would tell how sure the best one is, best first; none where that is beyond doubt or there is
    /// no answer.
    pub fn worth_trying(&self) -> Vec<QueryPlan> {
        match self.answer() {
            Some(best) if best.probability < 1.0 => {
                self.candidates.iter().take(TRIED).map(|candidate| candidate.plan.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The reading to answer with, as sure as it is once the readings of [`Understanding::worth_trying`] were run, in the
    /// same order.
    pub fn answer_after(&self, trials: &[Trial]) -> Option<Candidate> {
        let mut best = self.answer()?.clone();
        if best.probability >= 1.0 || trials.first().is_none_or(|trial| !trial.is_tried()) {
            return Some(best);
        }
        let mut grounds = self.grounds.clone();
        for (rated, trial) in grounds.rated.iter_mut().zip(trials) {
            rated.trial = *trial;
        }
        (best.probability, best.confidence) = grounds.judge(Weights::embedded());
        best.confidence = best.account.bound(best.confidence);
        Some(best)
    }

    /// True where the best reading is probably right by all that is known of such questions, whatever it leaves out.
    pub fn is_convincing(&self, trials: &[Trial]) -> bool {
        let weights = Weights::embedded();
        self.answer_after(trials).is_some_and(|best| {
            let tried = trials.first().is_some_and(|trial| trial.is_tried());
            let certainty = if tried { &weights.tried } else { &weights.untried };
            certainty.confidence(best.probability) == Confidence::High
        })
    }
}

/// Reads a question.
pub fn understand(question: &str, knowledge: &Knowledge, options: &Options) -> Understanding {
    let mut linked = link_with(question, knowledge, options.today, &told(knowledge, options));
    let weights = Weights::embedded();
    let mandatory: Vec<TableId> =
        options.mandatory_tables.iter().filter_map(|name| knowledge.table_named(name)).collect();
    let mut drafts = compose_with(&linked, knowledge, &mandatory);
    let links = std::mem::take(&mut linked.links);
    drafts.extend(super::grammar::drafts(&mut linked, &links, knowledge, options.today));
    let mut scored: Vec<(Rated, Features, Draft)> = drafts
        .into_iter()
        .filter(|draft| allowed(draft, knowledge, options))
        .filter(|draft| draft.grammar.is_none() || super::sound::is_sound(&draft.plan, knowledge))
        .map(|draft| {
            let features = features(&draft, &linked, knowledge);
            let rated = Rated {
                score: weights.score(&features),
                aspects: Aspects::of(&draft.plan),
                ..Rated::default()
            };
            (rated, features, draft)
        })
        .collect();
    let lattice = super::grammar::Lattice::new(&linked.question, &links, options.today);
    let preferred = prefer(&mut scored, &linked, &lattice);
    scored.sort_by(|one, other| other.0.score.total_cmp(&one.0.score));
    let rated: Vec<Rated> = scored.iter().map(|(rated, _, _)| *rated).collect();
    let best = rated.first().map_or(0.0, |rated| rated.score);
    let grounds = match scored.first() {
        Some((_, features, draft)) => Grounds {
            features: features.clone(),
            circumstances: circumstances(draft, &linked, knowledge),
            rated,
            preferred: None,
        },
        None => Grounds::default(),
    };
    let grounds = Grounds { preferred, ..grounds };
    let first_probability = grounds.judge(weights).0;
    if scored.first().is_some_and(|(_, _, draft)| beside_the_point(draft, &linked)) {
        scored.clear();
    }
    let mut candidates = Vec::new();
    for (Rated { score, .. }, _, draft) in scored.into_iter().take(options.readings.max(1)) {
        let evidence = evidence(&draft, &linked, knowledge);
        let probability =
            match candidates.is_empty() && evidence.ignored.is_empty() && lists_a_table(&draft.plan) {
                true => 1.0,
                // The other readings share what the first leaves, as their scores compare.
                false => first_probability * (score - best).exp(),
            };
        let chunks = linked.cuts.get(draft.cut).map_or(&[][..], |(chunks, _)| chunks);
        let mut account = Account::of_question(&linked, chunks, &draft, knowledge);
        if draft.grammar.is_some() {
            // A word that a rule has read is part of what the plan means, whatever the plan shows of it.
            account.left_out = super::grammar::left_out(&linked, &lattice, &draft);
            account.doubts.push(Doubt::Unmeasured);
        }
        candidates.push(Candidate {
            evidence,
            grammar: draft.grammar,
            score,
            probability,
            confidence: account.bound(weights.untried.confidence(probability)),
            account,
            plan: draft.plan,
        });
    }
    let unexplained = match candidates.first() {
        Some(candidate) => candidate.evidence.ignored.clone(),
        None => linked
            .cuts
            .first()
            .map(|(chunks, _)| {
                let unknown = chunks
                    .iter()
                    .filter(|chunk| !chunk.is_schema() && chunk.values.is_empty() && chunk.cue.is_none());
                unknown.map(|chunk| linked.question.span_text(chunk.start, chunk.end).to_owned()).collect()
            })
            .unwrap_or_default(),
    };
    Understanding {
        candidates,
        unexplained,
        recognised: recognised(&linked, knowledge),
        threshold: weights.answered,
        grounds,
    }
}

/// How likely a reading of the grammar is right that reads all words: no weights are fitted to it yet, so it is never sure.
const UNFITTED: f32 = 0.74;

/// How much more of a question the grammar may leave unread than the composer, for its readings to come first.
const SLACK: f32 = 0.2;

/// Puts the grammar's readings before or behind the composer's, by what each leaves unread, and says how likely the first
/// is right where it is the grammar's.
fn prefer(
    scored: &mut [(Rated, Features, Draft)],
    linked: &Linked,
    lattice: &super::grammar::Lattice<'_>,
) -> Option<f32> {
    let best = |grammar: bool| {
        let of = scored.iter().filter(|(_, _, draft)| draft.grammar.is_some() == grammar);
        of.max_by(|one, other| match grammar {
            true => one.2.grammar.unwrap_or_default().total_cmp(&other.2.grammar.unwrap_or_default()),
            false => one.0.score.total_cmp(&other.0.score),
        })
    };
    let cost = |found: Option<&(Rated, Features, Draft)>| {
        found.map_or(9.0, |(_, _, draft)| super::grammar::unread(linked, lattice, draft))
    };
    let (composed, parsed) = (best(false), best(true));
    parsed?;
    let (left_by_composer, left) = (cost(composed), cost(parsed));
    let needed = parsed.is_some_and(|(_, _, draft)| {
        let composed = composed.map(|(_, _, draft)| draft);
        super::grammar::says_more(draft, composed)
    });
    let first = left <= left_by_composer + SLACK && (needed || composed.is_none());
    let (highest, lowest) = (
        composed.map_or(0.0, |(rated, _, _)| rated.score),
        scored
            .iter()
            .filter(|(_, _, draft)| draft.grammar.is_none())
            .map(|(rated, _, _)| rated.score)
            .fold(0.0, f32::min),
    );
    for (rated, _, draft) in scored.iter_mut() {
        if let Some(behind) = draft.grammar {
            rated.score = if first { highest + 3.0 + behind } else { lowest - 1.0 + behind };
        }
    }
    first.then_some((UNFITTED - 0.35 * left).max(0.05))
}

/// True where a reading rests on words of questions alone (*where*, *when*) and what is asked about is unknown: *Where
/// is the moon?*
fn beside_the_point(draft: &Draft, linked: &Linked) -> bool {
    let Some((chunks, _)) = linked.cuts.get(draft.cut) else { return false };
    let asks = |chunk: &Chunk| {
        ["who", "where", "when", "what", "which", "why", "how", "how many", "how much"]
            .contains(&chunk.text.as_str())
    };
    let unknown = |chunk: &Chunk| {
        !chunk.is_schema()
            && chunk.values.is_empty()
            && chunk.number.is_none()
            && chunk.date.is_none()
            && chunk.cue.is_none()
    };
    let rests_on_questions = draft.meanings.iter().all(|meaning| chunks.get(meaning.chunk).is_some_and(asks));
    let ignored = super::rank::features::ignored(chunks, draft);
    rests_on_questions && ignored.into_iter().filter_map(|at| chunks.get(at)).any(unknown)
}

/// True where a plan shows a table as it is: with every word accounted for there is nothing else to mean.
fn lists_a_table(plan: &QueryPlan) -> bool {
    let all = [Projection::from(Expr::All(None))];
    plan.select.projection == all
        && *plan
            == QueryPlan::from(Select {
                projection: all.to_vec(),
                from: plan.select.from.clone(),
                ..Select::default()
            })
}

/// The hints that name something in this database.
fn told(knowledge: &Knowledge, options: &Options) -> Vec<(String, Target)> {
    let meaning = |hint: &Hint| {
        let table = knowledge.table_named(&hint.table)?;
        let column = hint.column.as_ref().map(|column| knowledge.column_named(table, column));
        let target = match (column, &hint.value) {
            (Some(column), Some(value)) => Target::Value(ValueLink {
                column: Some(column?),
                value: Value::Text(value.clone()),
                kind: MatchKind::Exact,
                score: TOLD,
                quoted: false,
            }),
            (Some(column), None) => Target::Column(column?),
            (None, _) => Target::Table(table),
        };
        Some((hint.words.clone(), target))
    };
    options.hints.iter().filter_map(meaning).collect()
}

/// True where a draft keeps to what was decided before.
fn allowed(draft: &Draft, knowledge: &Knowledge, options: &Options) -> bool {
    let used = super::phases::all_tables(&draft.plan);
    let uses = |name: &String| used.iter().any(|table| table.eq_ignore_ascii_case(name));
    if !options.mandatory_tables.iter().all(uses) || options.forbidden_tables.iter().any(uses) {
        return false;
    }
    options.fixed_joins.iter().all(|join| {
        let joined = draft.joins.edges.iter().any(|edge| {
            let tables = [name_of(knowledge, edge.from), name_of(knowledge, edge.to)];
            tables.iter().all(|table| {
                table.eq_ignore_ascii_case(&join.left.0) || table.eq_ignore_ascii_case(&join.right.0)
            })
        });
        !joined
            || draft.joins.edges.iter().any(|edge| {
                edge.columns.iter().any(|(from, to)| {
                    let (from, to) = (place(knowledge, *from), place(knowledge, *to));
                    (same(&from, &join.left) && same(&to, &join.right))
                        || (same(&to, &join.left) && same(&from, &join.right))
                })
            })
    })
}

fn name_of(knowledge: &Knowledge, table: TableId) -> String {
    knowledge.table(table).name.clone()
}

fn place(knowledge: &Knowledge, column: ColumnId) -> (String, String) {
    let entry = knowledge.column(column);
    (name_of(knowledge, entry.table), entry.name.clone())
}

fn same(one: &(String, String), other: &(String, String)) -> bool {
    one.0.eq_ignore_ascii_case(&other.0) && one.1.eq_ignore_ascii_case(&other.1)
}

fn evidence(draft: &Draft, linked: &Linked, knowledge: &Knowledge) -> Evidence {
    let empty = Vec::new();
    let chunks = linked.cuts.get(draft.cut).map_or(&empty, |(chunks, _)| chunks);
    let words = |chunk: usize| {
        chunks
            .get(chunk)
            .map(|chunk| linked.question.span_text(chunk.start, chunk.end).to_owned())
            .unwrap_or_default()
    };
    let meanings = draft
        .meanings
        .iter()
        .map(|meaning| WordMeaning { words: words(meaning.chunk), meaning: meaning.clone() })
        .collect();
    let ignored = super::rank::features::ignored(chunks, draft)
        .into_iter()
        .map(words)
        .filter(|text| text.chars().any(char::is_alphanumeric))
        .collect();
    let joins = draft
        .joins
        .edges
        .iter()
        .filter_map(|edge| {
            let (from, to) = edge.columns.first()?;
            Some(JoinReason {
                from: place(knowledge, *from),
                to: place(knowledge, *to),
                declared: edge.declared,
            })
        })
        .collect();
    let unusual = draft
        .choices
        .iter()
        .filter(|choice| choice.taken > 0)
        .map(|choice| choice.name.replace('_', " "))
        .collect();
    Evidence { meanings, ignored, joins, unusual }
}

fn recognised(linked: &Linked, knowledge: &Knowledge) -> Vec<Recognised> {
    let Some((chunks, _)) = linked.cuts.first() else { return Vec::new() };
    let mut recognised = Vec::new();
    for chunk in chunks {
        let tables = chunk.tables.iter().take(2).map(|(table, _)| name_of(knowledge, *table));
        let columns = chunk.columns.iter().take(3).map(|(column, _)| place(knowledge, *column));
        let values = chunk
            .values
            .iter()
            .take(2)
            .filter_map(|value| value.column)
            .map(|column| place(knowledge, column));
        let names: Vec<String> =
            tables.chain(columns.chain(values).map(|(table, column)| format!("{table}.{column}"))).collect();
        if !names.is_empty() {
            recognised.push(Recognised {
                words: linked.question.span_text(chunk.start, chunk.end).to_owned(),
                names,
            });
        }
    }
    recognised
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasoner::rules::compose::testing::library;

    fn options() -> Options {
        Options { today: jiff::civil::date(2024, 6, 15), ..Options::default() }
    }

    #[test]
    fn what_it_does_not_understand_it_says() {
        let knowledge = library();
        for question in ["", "?", "Wie ist das Wetter heute in Köln?", "\u{0}\u{7}", "'", "the of and"] {
            let understanding = understand(question, &knowledge, &options());
            assert!(
                understanding.answer().is_none_or(|answer| answer.confidence < Confidence::High),
                "{question}"
            );
            assert!(!understanding.not_understood().is_empty());
        }
        let _ = understand(&"show the title ".repeat(70_000), &knowledge, &options());
    }

    #[test]
    fn a_question_about_something_unknown_is_not_answered_from_its_question_word() {
        let understanding = understand("Where is the moon?", &library(), &options());
        assert!(understanding.answer().is_none() && understanding.unexplained.contains(&"moon".to_owned()));
    }

    #[test]
    fn corrections_and_hints_are_kept_to() {
        let knowledge = library();
        let forbidden = Options { forbidden_tables: vec!["book".into()], ..options() };
        let understanding = understand("Show the titles of books", &knowledge, &forbidden);
        assert!(
            understanding.candidates.iter().all(|candidate| !candidate
                .evidence
                .joins
                .iter()
                .any(|join| join.to.0 == "book"))
        );
        assert!(!understanding.final_tables().contains(&"book".to_owned()));
        let mandatory = Options { mandatory_tables: vec!["loan".into()], ..options() };
        let understanding = understand("Show the titles of books", &knowledge, &mandatory);
        assert_eq!(understanding.final_tables(), ["book", "loan"]);
        let hint = Hint { words: "reader".into(), table: "member".into(), column: None, value: None };
        let hinted = Options { hints: vec![hint], ..options() };
        let understanding = understand("How many readers are there?", &knowledge, &hinted);
        assert_eq!(understanding.final_tables(), ["member"]);
    }

    #[test]
    fn every_reading_says_why() {
        let knowledge = library();
        let understanding = understand("What are the titles of books by Ada Byron?", &knowledge, &options());
        let lines = understanding.candidates[0].explanation();
        assert!(
            lines.iter().any(|line| line.contains("`Ada Byron` is the value `Ada Byron` of author.name")),
            "{lines:?}"
        );
        assert!(lines.iter().any(|line| line.contains("a declared key")), "{lines:?}");
        let tables =
            understanding.tables("What are the titles of books by Ada Byron?", &knowledge, &options());
        let relevant: Vec<&str> =
            tables.iter().filter(|table| table.is_relevant).map(|table| table.table.as_str()).collect();
        assert_eq!(relevant, ["author", "book"]);
        assert!(understanding.joins().iter().all(|join| join.confidence > 0.5));
    }
}
