use std::io::Read;

#[path = "verify.rs"]
mod receiver;

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body).unwrap();
    let now = given[5].parse().unwrap();
    let good = receiver::verify(&given[1], &given[2], &given[3], &given[4], &body, now);
    std::process::exit(if good { 0 } else { 9 });
}
