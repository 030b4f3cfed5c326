//! Devices by name.

use tch::Device;
use thiserror::Error;

use crate::runtime::{CudaStatus, cuda_status};

/// Why a device cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// The name is none of a device.
    #[error("device = '{0}' is unknown: expected cpu, cuda or cuda:N")]
    Unknown(String),
    /// The device is not there.
    #[error("device = '{name}' cannot be used: {status}")]
    Missing {
        /// The name asked for.
        name: String,
        /// What CUDA has to offer here.
        status: &'static CudaStatus,
    },
}

/// The device named `cpu`, `cuda` (the first) or `cuda:N`; loads CUDA's library for the latter.
///
/// # Errors
/// When the name is unknown or there is no such device.
pub fn device(name: &str) -> Result<Device, DeviceError> {
    if name == "cpu" {
        return Ok(Device::Cpu);
    }
    let index = match name.strip_prefix("cuda") {
        Some("") => Some(0),
        Some(rest) => rest.strip_prefix(':').and_then(|index| index.parse::<usize>().ok()),
        None => None,
    };
    let index = index.ok_or_else(|| DeviceError::Unknown(name.to_owned()))?;
    let status = cuda_status();
    if index < status.devices() {
        Ok(Device::Cuda(index))
    } else {
        Err(DeviceError::Missing { name: name.to_owned(), status })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_bad_ones_are_told() {
        assert_eq!(device("cpu"), Ok(Device::Cpu));
        for name in ["", "CPU", "cuda0", "cuda:", "cuda:-1", "cuda:x", "gpu"] {
            assert_eq!(device(name), Err(DeviceError::Unknown(name.to_owned())));
        }
        let error = device("cuda:999").unwrap_err().to_string();
        assert!(error.starts_with("device = 'cuda:999' cannot be used: "), "{error}");
    }
}
