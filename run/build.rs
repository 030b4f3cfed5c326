//! With the torch feature, hands on where libtorch is found at run time (see model/torch/build.rs).

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let arguments = std::env::var("DEP_HIPPOLYTA_TORCH_LINK_ARGS").unwrap_or_default();
    for argument in arguments.split('\t').filter(|argument| !argument.is_empty()) {
        println!("cargo::rustc-link-arg={argument}");
    }
}
