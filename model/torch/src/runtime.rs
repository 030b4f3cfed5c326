//! Which libtorch this process runs, and whether it has CUDA.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::cuda_library;

/// What [`cuda_status`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CudaStatus {
    /// The libtorch in use is a build without CUDA: no `libtorch_cuda.so` lies in `folder`.
    CpuBuild {
        /// The folder of `libtorch_cpu.so`; `None` where the system does not tell.
        folder: Option<PathBuf>,
    },
    /// `libtorch_cuda.so` is there but does not load.
    Unloadable {
        /// The library's path.
        library: PathBuf,
        /// The loader's message.
        reason: String,
    },
    /// CUDA is loaded.
    Loaded {
        /// The library's path.
        library: PathBuf,
        /// Number of devices that can be used, named `cuda:0` to `cuda:{devices - 1}`; 0 without a working driver.
        devices: usize,
    },
}

impl CudaStatus {
    /// Number of CUDA devices that can be used.
    pub fn devices(&self) -> usize {
        match self {
            CudaStatus::Loaded { devices, .. } => *devices,
            CudaStatus::CpuBuild { .. } | CudaStatus::Unloadable { .. } => 0,
        }
    }
}

impl fmt::Display for CudaStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CudaStatus::CpuBuild { folder: Some(folder) } => {
                write!(f, "no CUDA: the libtorch in {} is a CPU build", folder.display())
            }
            CudaStatus::CpuBuild { folder: None } => write!(f, "no CUDA: no libtorch_cuda.so was found"),
            CudaStatus::Unloadable { library, reason } => {
                write!(f, "no CUDA: {} does not load: {reason}", library.display())
            }
            CudaStatus::Loaded { library, devices: 0 } => {
                write!(
                    f,
                    "no CUDA: {} is loaded but sees no device (is the driver installed?)",
                    library.display()
                )
            }
            CudaStatus::Loaded { devices, .. } => write!(f, "CUDA: {devices} device(s)"),
        }
    }
}

/// Loads `libtorch_cuda.so` when it lies beside the `libtorch_cpu.so` in use, once a process, and says what came
/// of it.
///
/// Linkers drop `libtorch_cuda`, because no symbol of it is named: it has to be loaded by hand, and before libtorch
/// is asked about CUDA for the first time, because libtorch remembers a "no". So call this at start-up. One build
/// then serves machines with and without a GPU.
pub fn cuda_status() -> &'static CudaStatus {
    static STATUS: OnceLock<CudaStatus> = OnceLock::new();
    STATUS.get_or_init(|| {
        let folder = libtorch_folder();
        let Some(library) =
            folder.as_ref().map(|folder| folder.join("libtorch_cuda.so")).filter(|path| path.exists())
        else {
            return CudaStatus::CpuBuild { folder };
        };
        match cuda_library::load_for_good(&library) {
            Ok(()) => CudaStatus::Loaded {
                library,
                devices: usize::try_from(tch::Cuda::device_count()).unwrap_or(0),
            },
            Err(reason) => CudaStatus::Unloadable { library, reason },
        }
    })
}

/// The version of the libtorch in use, as its files name it (`2.11.0+cpu`); `None` where they do not.
pub fn libtorch_version() -> Option<String> {
    let home = libtorch_folder()?.parent()?.to_path_buf();
    if let Ok(version) = fs::read_to_string(home.join("build-version")) {
        return Some(version.trim().to_owned());
    }
    // A libtorch that is part of an installed PyTorch.
    let module = fs::read_to_string(home.join("version.py")).ok()?;
    let version = module.lines().find_map(|line| line.strip_prefix("__version__ = "))?;
    Some(version.trim_matches(['\'', '"']).to_owned())
}

/// The folder of the `libtorch_cpu.so` that this process runs; `None` on a system without `/proc`.
pub fn libtorch_folder() -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        // A path is the last field of a line, and may hold spaces.
        let path = Path::new(&line[line.find('/')?..]);
        (path.file_name()? == "libtorch_cpu.so").then(|| path.parent().map(Path::to_path_buf))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtorch_multiplies_and_is_of_the_expected_version() {
        let a = tch::Tensor::from_slice(&[1.0_f32, 2.0, 3.0, 4.0]).view([2, 2]);
        let b = tch::Tensor::from_slice(&[5.0_f32, 6.0, 7.0, 8.0]).view([2, 2]);
        let product: Vec<f32> = Vec::try_from(a.matmul(&b).view(-1)).unwrap();
        assert_eq!(product, [19.0, 22.0, 43.0, 50.0]);
        #[cfg(target_os = "linux")]
        {
            let version = libtorch_version().expect("libtorch names its version");
            assert!(version.starts_with("2.11.0"), "{version}");
        }
    }

    #[test]
    fn cuda_status_tells_what_lies_beside_libtorch() {
        let status = cuda_status();
        let has_library = libtorch_folder().is_some_and(|folder| folder.join("libtorch_cuda.so").exists());
        match status {
            CudaStatus::CpuBuild { .. } => assert!(!has_library),
            CudaStatus::Unloadable { .. } | CudaStatus::Loaded { .. } => assert!(has_library),
        }
        assert_eq!(tch::Cuda::is_available(), status.devices() > 0);
    }

    #[test]
    fn a_library_that_does_not_exist_is_named() {
        let reason = cuda_library::load_for_good(Path::new("no/such/library.so")).unwrap_err();
        #[cfg(target_os = "linux")]
        assert!(reason.contains("no/such/library.so"), "{reason}");
        #[cfg(not(target_os = "linux"))]
        assert!(!reason.is_empty());
    }
}
