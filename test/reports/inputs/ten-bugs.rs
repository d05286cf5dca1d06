// The bugs of ten-bugs.cu in safe Rust. --cfg bug3 and bug4: what the compiler refuses.
static TABLE: [i32; 10] = [0; 10];

fn fill(values: &mut [i32], n: usize) {
    for i in 0..=n {
        values[i] = i as i32; // bug 1
    }
}

fn main() {
    let mut values = vec![0i32; 100].into_boxed_slice();
    let host = [0i32; 101];
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    match n {
        1 => fill(&mut values, 100),
        2 => println!("{}", (0..32).map(|i: usize| values[i] - values[i - 1]).sum::<i32>()), // bug 2
        5 => {
            let mut own = [0usize; 8];
            for i in 0..n + 4 {
                own[i] = i; // bug 5
            }
        }
        6 => println!("{}", (0..8).map(|i| TABLE[i + n - 3]).sum::<i32>()), // bug 6
        8 => values.copy_from_slice(&host), // bug 8
        10 => {
            let i = (n as i32 + 2147483637) + n as i32;
            values[i as usize] = 1; // bug 10
        }
        _ => (),
    }
    #[cfg(bug3)]
    {
        drop(values);
        values[0] += 1;
    }
    #[cfg(bug4)]
    {
        drop(values);
        drop(values);
    }
}
